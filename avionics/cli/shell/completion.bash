_avionics() {
    local value rest
    COMPREPLY=()
    while IFS=$'\t' read -r value rest; do
        COMPREPLY+=("$value")
    done < <(avionics complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == */ ]]; then
        compopt -o nospace
    fi
}
complete -F _avionics avionics
