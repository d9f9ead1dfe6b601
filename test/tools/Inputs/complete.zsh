# complete.zsh TOOL LINE EXPECTED: what an interactive zsh on a terminal of its own makes of LINE and a tab. zsh takes a tab
# that comes with other keys for text, so there are pauses, which grow until EXPECTED is there.
zmodload zsh/zpty
zpty shell zsh -f -i
send() { zpty -w shell "$1" }
send "PS1= PROMPT= RPS1= PROMPT_SP=; unset zle_bracketed_paste; unsetopt prompt_sp; TERM=dumb; setopt no_beep"
send "autoload -U compinit; compinit -u -D; bindkey '^I' complete-word"
send "LISTMAX=10000; COLUMNS=200; LINES=1000; source <($1 --completion=zsh); echo REA''DY"
zpty -r -m shell text '*READY*'
for pause in 0.2 1 5; do
  sleep $pause
  zpty -w -n shell "$2"
  sleep $pause
  zpty -w -n shell $'\t'
  sleep $pause
  zpty -w -n shell $'\t' # the second one lists
  sleep $pause
  zpty -w -n shell $'\C-u'
  sleep $pause
  zpty -w shell "echo D''ONE"
  zpty -r -m shell text '*DONE*'
  text=$(print -r -- "$text" | tr -d '\r' | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g')
  [[ $text == *$3* ]] && break
done
print -r -- "$text"
zpty -d shell
