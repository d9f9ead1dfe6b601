# complete.bash TOOL WORD...: what bash offers for the last word of this command line, one a line.
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
source <("$1" --completion=bash) || exit
function=$(complete -p "$1" | sed 's/.*-F \([^ ]*\).*/\1/')
"$function" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
