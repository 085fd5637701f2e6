#compdef allready
# Completes `allready` in zsh: the program itself says what may come next.
_allready() {
  local -a lines candidates
  local line files=
  lines=("${(@f)$("${words[1]}" completion --words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    case $line in
    (:0) files=1 ;;
    (:*) ;;
    (*) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
    esac
  done
  if (( $#candidates )); then
    _describe -t allready allready candidates
  elif [[ -n $files ]]; then
    _files
  fi
}
if [[ ${funcstack[1]} == _allready ]]; then
  _allready "$@"
else
  compdef _allready allready
fi
