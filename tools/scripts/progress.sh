# Shared by tools/demo and tools/check: `step TITLE COMMAND…` prints the title, runs the command, prints how long it took.
# Sourced, not run. The command's exit status is step's. Bash ignores `set -e` inside a function called this way: a function
# given as COMMAND joins its own commands with &&.

# `show_help SCRIPT ARGUMENTS…` prints the comment at the script's head and ends it where that is asked for with --help or -h.

show_help() {
  local script=$1
  shift
  for argument in "$@"; do
    if [[ "$argument" == --help || "$argument" == -h ]]; then
      sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$script"
      exit 0
    fi
  done
}

step_number=0
step_total=0 # set by the script that sources this

step() {
  local title=$1 start=$SECONDS status=0
  shift
  step_number=$((step_number + 1))
  echo "== $step_number/$step_total $title"
  "$@" || status=$?
  if ((status == 0)); then
    echo "== done in $((SECONDS - start)) s"
  else
    echo "== FAILED after $((SECONDS - start)) s (exit status $status)"
  fi
  return $status
}
