# bash completion of proctor: eval "$(proctor completion bash)"
_proctor() {
	local IFS=$'\n' word=${COMP_WORDS[COMP_CWORD]}
	COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]/#\~/$HOME}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1)" -- "$word"))
}
complete -o bashdefault -o default -F _proctor proctor
