#compdef proctor
# zsh completion of proctor: eval "$(proctor completion zsh)" behind compinit, or a file _proctor in a folder of $fpath
_proctor() {
	local -a found
	local line
	for line in "${(@f)$("${words[1]/#\~/$HOME}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		[[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
	done
	if (( $#found )); then
		_describe proctor found
	else
		_files
	fi
}
if [[ ${funcstack[1]} == _proctor ]]; then
	_proctor "$@"
else
	compdef _proctor proctor
fi
