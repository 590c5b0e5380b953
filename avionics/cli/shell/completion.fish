function __avionics_complete
    set -l words (commandline -opc) (commandline -ct)
    avionics complete -- $words[2..] 2>/dev/null
end
complete -c avionics -f -a '(__avionics_complete)'
