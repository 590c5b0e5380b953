"""`avionics completion SHELL`: scripts that complete commands, options, symbols, files and revisions.

The scripts hand the words of the line to `avionics complete`, which prints one candidate a line with its description.
"""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem, ShellComplete

from avionics.cli.options import examples
from avionics.cli.output.exit_codes import ANSWERED
from avionics.cli.shell.values import find_files

SCRIPTS = {
    "bash": """\
_avionics() {
    local value rest
    COMPREPLY=()
    while IFS=$'\\t' read -r value rest; do
        COMPREPLY+=("$value")
    done < <(avionics complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then
        compopt -o nospace
    fi
}
complete -F _avionics avionics
""",
    "zsh": """\
#compdef avionics
_avionics() {
    local line
    local -a plain described
    for line in "${(@f)$(avionics complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -z "$line" ]] && continue
        if [[ "$line" == *$'\\t'* ]]; then
            described+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
        else
            plain+=("$line")
        fi
    done
    (( ${#described} )) && _describe -t avionics avionics described
    (( ${#plain} )) && compadd -Q -S '' -- ${(M)plain:#*/}
    (( ${#plain} )) && compadd -- ${plain:#*/}
    return 0
}
if [[ "${funcstack[1]}" == "_avionics" ]]; then
    _avionics "$@"
else
    compdef _avionics avionics
fi
""",
    "fish": """\
function __avionics_complete
    set -l words (commandline -opc) (commandline -ct)
    avionics complete -- $words[2..] 2>/dev/null
end
complete -c avionics -f -a '(__avionics_complete)'
""",
}

_FILE_TYPES = {"file", "dir"}


@click.command(
    "completion",
    epilog=examples(
        'eval "$(avionics completion bash)"',
        "avionics completion zsh > ~/.zfunc/_avionics",
        "avionics completion fish > ~/.config/fish/completions/avionics.fish",
    ),
)
@click.argument("shell", type=click.Choice(list(SCRIPTS)))
def completion_command(shell: str) -> int:
    """Print the script that completes commands, options, symbols and files in a shell."""
    click.echo(SCRIPTS[shell], nl=False)
    return ANSWERED


@click.command("complete", hidden=True, epilog=examples("avionics complete -- refs Ca"))
@click.argument("words", nargs=-1)
def complete_command(words: tuple[str, ...]) -> int:
    """Print the values that the last word can have, one a line, each with its description behind a tab."""
    for item in suggest(list(words[:-1]), words[-1] if words else ""):
        click.echo(f"{item.value}\t{item.help}" if item.help else item.value)
    return ANSWERED


def suggest(words: list[str], incomplete: str) -> list[CompletionItem]:
    """Return the values for the word after some others."""
    from avionics.cli.shell.group import group

    try:
        items = ShellComplete(group, {}, "avionics", "").get_completions(words, incomplete)
    except click.ClickException:
        return []
    found = [item for item in items if item.type not in _FILE_TYPES]
    if len(found) < len(items):
        from pathlib import Path

        found += [CompletionItem(path) for path in find_files(Path(), incomplete)]
    return [item for item in found if "\n" not in item.value and "\t" not in item.value]
