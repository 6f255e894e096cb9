# fish completion of proctor: proctor completion fish | source
function __proctor_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] complete -- $words[2..] 2>/dev/null
end
complete -c proctor -n 'test -n "$(__proctor_complete)"' -f -a '(__proctor_complete)'
