"""What no commit may do: looked up in the history, where there is one."""
import pathlib
import subprocess

# Measurements that judge a model, and the constants that make it: whoever changed both at once could fit one to the other.
APART = [(pathlib.Path("tools/benchmarks/timing/points.tsv"), pathlib.Path("templates/targets/timing"))]


def commits(tree, path):
    """Every commit that changed something at or below the path, or None without a history."""
    git = subprocess.run(["git", "-C", tree.root, "log", "--no-merges", "--format=%H", "--", path], capture_output=True, text=True)
    return git.stdout.split() if git.returncode == 0 else None


def check(tree):
    if not (tree.root / ".git").exists():
        return
    for one, other in APART:
        ours, theirs = commits(tree, one), commits(tree, other)
        for commit in sorted(set(ours or []) & set(theirs or [])):
            tree.error(one, 0, f"commit {commit[:12]} changes this and {other} together")
