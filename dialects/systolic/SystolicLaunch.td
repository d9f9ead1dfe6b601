// What a kernel and its launcher agree on: the control block of a run, and what stands behind each argument.
#ifndef NSTF_DIALECTS_SYSTOLIC_SYSTOLICLAUNCH
#define NSTF_DIALECTS_SYSTOLIC_SYSTOLICLAUNCH

include "dialects/systolic/SystolicPlan.td"
include "dialects/systolic/SystolicSchedule.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Systolic_LaunchAttr : Systolic_Attr<"Launch", "launch"> {
  let summary = "what a launch passes in each argument of a kernel";
  let description = [{
    One entry for each buffer and control block of the kernel, in the order of its arguments:

    - `x = operand 0`: operand 0 of the launch, which is read;
    - `y = operand 1 in_place`: operand 1, which is read and written;
    - `y = result 0`: result 0, which is written;
    - `control`: the control block, which is read;
    - `p = scratch`: memory of the launch's own, which it writes before it reads it; with its type, `p = scratch : memref<64xf32>`,
      once the kernel is lowered;
    - `n = zeros`: the same, which is zero when the launch begins and which it leaves so;
    - `x`: a buffer by its name alone, in a template that nothing is bound to yet;
    - `x = none`: a buffer that not every operation of the template has. Where none is bound to it, the kernel must not read
      it, and systolic-drop-unused-arguments takes it away.

    `per_token` lists the parameters of the kernel that grow with the tokens of a launch, with how much each token adds;
    the others are the same for every launch.

    - launch_c1: arguments have names, all different.
    - launch_c2: every buffer is bound, or none is, but for those that are `scratch`, `zeros` or `none`.
    - launch_c3: what is written, a result or an operand in place, is bound once.
    - launch_c4: `per_token` has integers of at least 1.

    Example: `#systolic.launch<[x = operand 0, w = operand 1, y = result 0, control], per_token = {M = 1 : i64}>`
  }];
  let parameters = (ins ArrayRefParameter<"::nstf::systolic::LaunchArgument">:$arguments,
                        "::mlir::DictionaryAttr":$perToken);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Systolic_ControlType : Systolic_Type<"Control", "control"> {
  let summary = "the control block of a run";
  let description = [{
    Device memory of the size and layout that support/ControlBlock.h says, which a launch passes to kernels that ask for
    what only the run knows. `systolic.control` reads it.
  }];
}

def Systolic_ControlField : I32EnumAttr<"ControlField", "a run scalar in the control block",
    [I32EnumAttrCase<"tokens", 0>, I32EnumAttrCase<"position", 1>, I32EnumAttrCase<"rows", 2>,
     I32EnumAttrCase<"first", 3>, I32EnumAttrCase<"slot", 4>]> {
  let cppNamespace = "::nstf::systolic";
}

class Systolic_Op<string opMnemonic, list<Trait> traits = []> : Op<Systolic_Dialect, opMnemonic, traits>;

def Systolic_ControlOp : Systolic_Op<"control", [Pure]> {
  let summary = "reads a run scalar: `tokens` in this step, `position` of its first token, `rows` of a launch";
  let description = [{
    In a kernel with `requests` these are of the request that the workgroup serves, and so are `first`, the first of its
    rows, and `slot`, the number of its part of what lives from step to step.

    `rows` is for templates: the kernel's parameter ROWS where the number of rows is known when the kernel is made, and
    where ROWS is 0 the tokens of the step. systolic-instantiate puts one or the other in its place.

    ```mlir
    func.func @step(%block: !systolic.control) -> (index, index) {
      %tokens = systolic.control tokens %block
      %position = systolic.control position %block
      return %tokens, %position : index, index
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_ControlType, "the control block of the run">:$block,
                       Systolic_ControlField:$field);
  let results = (outs Index:$result);
  let assemblyFormat = "$field $block attr-dict";
}

def Systolic_GeometryAttr : Systolic_Attr<"Geometry", "geometry"> {
  let summary = "all that launching a kernel takes, after its tile program is lowered";
  let description = [{
    systolic-to-gpu-lower-kernels leaves it, as `systolic.geometry`, on the operation around the kernel: what a launch
    passes, of each axis of the grid the extent, a parameter, and its tile, the kernel's parameters, array and schedule, how
    many crews of that array a workgroup has, and whether anything reads the run scalars.

    - geometry_c1: `grid` is pairs of an extent, a parameter of at least 1, and a tile, a number of at least 1.
    - geometry_c2: what `launch` lists in `per_token` are parameters of at least 1.
    - geometry_c3: the wave size is 32 or 64.
    - geometry_c4: it stands on an operation with symbols, which the kernel is one of.
    - geometry_c5: there is at least 1 crew.
    - geometry_c6: there is at least 1 request. Each has workgroups of its own, as many as the largest step would: with
      more than 1 the launch's tokens decide nothing.
  }];
  let parameters = (ins
    "::nstf::systolic::LaunchAttr":$launch,
    "::mlir::ArrayAttr":$grid,
    "::mlir::DictionaryAttr":$params,
    "::nstf::systolic::SystolicArrayAttr":$array,
    OptionalParameter<"::nstf::systolic::ScheduleAttr">:$schedule,
    "int64_t":$waveSize,
    "bool":$readsTokens,
    "bool":$readsPosition,
    DefaultValuedParameter<"int64_t", "1">:$crews,
    DefaultValuedParameter<"int64_t", "1">:$requests);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Of a launch for up to `tokens` tokens.
    int64_t getWorkgroups(int64_t tokens) const;
  }];
}

#endif
