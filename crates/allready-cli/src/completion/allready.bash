# Completes `allready` in bash: the program itself says what may come next.
_allready() {
  local words=() count=0 i word answer line
  # Bash takes --output=json apart at the sign.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((count > 0)) && [[ $word == "=" || ${COMP_WORDS[i - 1]} == "=" ]]; then
      words[count - 1]+=$word
    else
      words[count]=$word
      count=$((count + 1))
    fi
  done
  COMPREPLY=()
  answer=$("${COMP_WORDS[0]}" completion --words -- "${words[@]}" 2>/dev/null) || return 0
  local before=
  [[ ${words[count - 1]} == -*=* ]] && before=${words[count - 1]%%=*}=
  while IFS= read -r line; do
    case $line in
    :0) ;;
    :*) compopt +o default 2>/dev/null ;;
    *)
      line=${line%%$'\t'*}
      COMPREPLY+=("${line#"$before"}")
      ;;
    esac
  done <<<"$answer"
  return 0
}
complete -o default -F _allready allready
