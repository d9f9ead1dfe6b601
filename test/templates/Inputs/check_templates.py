"""Checks every file of templates/kernels with nstf-opt, so that a new template is tested by being there.

    check_templates.py TEMPLATES ops              which dialects it holds, and that it is legal as it stands
    check_templates.py TEMPLATES lower            lowers it at its defaults to the LLVM dialect, on both chips
    check_templates.py TEMPLATES odd              the same with sizes that no tile divides and other tiles and waves
    check_templates.py TEMPLATES deterministic    two runs give the same text
"""
import pathlib
import re
import subprocess
import sys

ALLOWED = {"builtin", "systolic", "func", "arith", "math", "scf"}
TARGETS = ["gfx90a", "gfx942"]
PASSES = ("builtin.module(nstf-set-target{{target={target}}},systolic-instantiate{params},systolic.kernel(systolic-order-workgroups),inline,canonicalize,cse,"
          "systolic.kernel(systolic-select-wave-size,systolic-select-array,systolic-share-loads,systolic-assign-layouts,systolic-stage-operands,"
          "systolic-plan-loops,systolic-insert-prefetch,systolic-schedule-loop,systolic-widen-stores,systolic-allocate-scratch),systolic-to-gpu-lower-kernels,"
          "systolic-to-gpu-merge-overlaps,systolic-to-gpu-fetch-code,canonicalize,cse,"
          "systolic-to-gpu-issue-stores,loop-invariant-code-motion,"
          "gpu.module(expand-strided-metadata,lower-affine,convert-scf-to-cf,systolic-to-gpu-convert-gpu-to-rocdl,"
          "systolic-to-gpu-store-through,"
          "reconcile-unrealized-casts,canonicalize,cse),systolic-to-gpu-attach-debug-info)")

# Extents that are no multiple of a tile or of 16 bytes, tiles that are no powers of two, other numbers of waves.
ODD = {
    "argmax": ["M=3,N=37", "M=1,N=33000,BM=1,BN=1024", "M=5,N=100,BM=3,BN=96,ROWS=5,waves=3x1"],
    "attention": [
        "RG=7,RQ=14,L=77,F=26,VR=77,VC=26,H=2,HK=2,G=1,D=13,DP=16,DK=16,KD=13,VD=13,BQ=16,BK=16",
        "RG=300,RQ=600,L=512,F=40,VR=512,VC=40,H=6,HK=2,G=3,D=20,DP=32,DK=32,KD=20,VD=20,BQ=64,BK=32,waves=1x4",
        "RG=50,RQ=50,L=50,F=80,VR=50,VC=80,H=1,HK=1,G=1,D=80,DP=80,DK=80,KD=80,VD=80,BQ=32,BK=32,CAUSAL=0,CACHED=0,ROWS=50,waves=1x2",
        "RG=300,RQ=600,L=512,F=40,VR=512,VC=40,H=6,HK=2,G=3,D=20,DP=32,DK=32,KD=20,VD=20,BQ=64,BK=32,WINDOW=33,waves=1x4",
        "RG=300,RQ=600,L=512,F=64,VR=64,VC=512,H=6,HK=2,G=3,D=20,DP=32,DK=32,KD=32,VD=32,ORDER=1,BQ=64,BK=32,waves=1x4",
    ],
    "elementwise": ["M=1,MX=9,N=1001,BM=1,BN=1024,LAST=1,ROWS=1",
                    "M=50,MX=50,N=96,BM=6,BN=48,waves=2x3"],
    "embedding": ["M=3,N=37,V=77", "M=1,N=4095,V=32000,BM=1,BN=1024"],
    "generic": ["N=37,E=37,ROWS=1", "N=1001,E=7,BN=96,waves=3x1", "N=5,E=5,ROWS=1,BN=4,BR=64,waves=1x1"],
    "kv_append": ["M=3,L=512,N=37,C=37,YR=512,YC=37", "M=50,L=77,N=96,C=96,YR=77,YC=96,BM=6,BN=48,ROWS=50,waves=2x3",
                  "M=3,L=77,N=76,C=96,YR=80,YC=96,D=38,DS=48,ORDER=1,PADDED=1", "M=3,L=77,N=96,C=96,YR=96,YC=80,D=48,DS=48,ORDER=2"],
    "l2_normalize": ["M=3,N=37", "M=1,N=4095,BM=1,BN=1024,ROWS=1", "M=9,N=65,BM=3,BN=96,waves=1x3"],
    "layer_norm": ["M=3,N=37", "M=1,N=4095,BM=1,BN=1024,ROWS=1", "M=9,N=65,BM=3,BN=96,waves=1x3"],
    "matmul": ["M=5,N=33,K=20", "M=16,N=64,K=7,BM=16,BN=64,BK=32,waves=1x4", "M=100,N=77,K=53,BM=96,BN=48,BK=16,waves=3x1",
               "M=513,N=129,K=1,BM=128,BN=128,BK=48", "M=65,N=65,K=65,BM=64,BN=64,BK=24,waves=2x2"],
    "matvec": ["N=33,K=20", "N=1,K=1", "N=1001,K=4095,BN=16,BK=256,BS=32", "N=77,K=50,BN=6,BK=24,BS=12,waves=3x1"],
    "mean_rows": ["M=3,N=37", "M=200,N=1001,BM=16,BN=96,waves=3x1", "M=9,N=5,BM=3,BN=8,ROWS=9,waves=1x1"],
    "quantize": ["M=3,N=37", "M=15,N=13,G=5", "M=1,N=4095,BM=1,BN=1024,MAX_CODE=240", "M=9,N=65,BM=3,BN=96,ROWS=9,waves=1x3"],
    "rms_norm": ["M=3,N=37", "M=15,N=13,G=5", "M=1,N=4095,BM=1,BN=1024", "M=9,N=65,BM=3,BN=96,ROWS=9,waves=1x3"],
    "rope": ["R=6,RY=6,D=12,DY=12,H=3,RD=8,BD=16,INTERLEAVED=1", "R=5,RY=1024,D=3,DY=3,H=1,RD=2,BD=4,APPEND=1,CTX=7",
             "R=50,RY=50,D=80,DY=80,H=1,RD=80,BD=128,BR=32,waves=1x1", "R=50,RY=1024,D=12,DY=32,H=2,RD=12,BD=16,APPEND=1,ORDER=1"],
    "softmax": ["M=3,N=37", "M=1,N=33000,BM=1,BN=1024", "M=5,N=100,BM=3,BN=96,waves=3x1"],
}


def run(arguments, what):
    result = subprocess.run(["nstf-opt", *arguments], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"{what}: nstf-opt failed\n{result.stderr[:4000]}")
    return result.stdout


def operations(text):
    """The names of the operations of a module in generic form."""
    return set(re.findall(r'"(\w+\.[\w.]+)"\(', text))


def check_ops(template):
    found = operations(run([str(template), "-mlir-print-op-generic", "-verify-roundtrip"], template.name))
    foreign = sorted(name for name in found if name.split(".")[0] not in ALLOWED)
    if foreign:
        sys.exit(f"{template.name}: expected ops of {', '.join(sorted(ALLOWED))} only but got {', '.join(foreign)}")
    if sum(name == "systolic.kernel" for name in found) != 1:
        sys.exit(f"{template.name}: expected a systolic.kernel")


def lower(template, target, params):
    what = f"{template.name} on {target} with {params or 'its defaults'}"
    options = f"{{params={params}}}" if params else ""
    text = run([str(template), "--pass-pipeline=" + PASSES.format(target=target, params=options),
                "-mlir-print-op-generic"], what)
    left = sorted(name for name in operations(text) if name.split(".")[0] not in {"builtin", "gpu", "llvm", "rocdl"})
    if left or f'sym_name = "{template.stem}"' not in text:
        sys.exit(f"{what}: expected a kernel of llvm and rocdl ops but got {', '.join(left) or 'none'}")
    return text


def main():
    folder, mode = pathlib.Path(sys.argv[1]), sys.argv[2]
    templates = sorted(folder.glob("*.mlir"))
    for template in templates:
        if mode == "ops":
            check_ops(template)
        elif mode == "odd" and template.stem not in ODD:
            sys.exit(f"{template.name}: expected odd parameter sets for it in {__file__}")
        elif mode == "deterministic":
            if lower(template, "gfx942", "") != lower(template, "gfx942", ""):
                sys.exit(f"{template.name}: expected the same text from two runs")
        else:
            for target in TARGETS:
                for params in ODD[template.stem] if mode == "odd" else [""]:
                    lower(template, target, params)
    print(f"{mode}: {len(templates)} templates")


if __name__ == "__main__":
    main()
