# complete.sh COMMAND WORD...: what bash would complete the last word to, one of each line.
eval "$("$1" --completion bash)"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
"_$1"
printf '%s\n' "${COMPREPLY[@]}"
