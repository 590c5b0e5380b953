#compdef avionics
_avionics() {
    local line
    local -a plain described
    for line in "${(@f)$(avionics complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -z "$line" ]] && continue
        if [[ "$line" == *$'\t'* ]]; then
            described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
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
