// The interface between a kernel and its launcher: the control block of a run, and the binding of each argument.
#ifndef NSTF_DIALECTS_SYSTOLIC_LAUNCH
#define NSTF_DIALECTS_SYSTOLIC_LAUNCH

include "dialects/systolic/Plan.td"
include "dialects/systolic/Schedule.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Systolic_LaunchAttr : Systolic_Attr<"Launch", "launch"> {
  let summary = "the values that a launch passes as the arguments of a kernel";
  let description = [{
    One entry for each buffer and control block of the kernel, in the order of its arguments:

    - `x = operand 0`: operand 0 of the launch, which is read;
    - `y = operand 1 in_place`: operand 1, which is read and written;
    - `y = result 0`: result 0, which is written;
    - `control`: the control block, which is read;
    - `p = scratch`: memory private to the launch, which it writes before it reads it; once the kernel is lowered the
      entry has the type, `p = scratch : memref<64xf32>`;
    - `n = zeros`: the same, but the memory is zero when the launch begins, and the launch resets it to zero;
    - `x`: a buffer by its name only, in a template that is not bound yet;
    - `x = none`: a buffer that is absent in some operations of the template. If nothing is bound to it, the kernel must
      not read it, and systolic-drop-unused-arguments removes it.

    `per_token` maps the kernel parameters that grow with the tokens of a launch to their increase for each token; all
    other parameters are the same for every launch.

    - C1: arguments have names, all different.
    - C2: either every buffer is bound or none is, except for those that are `scratch`, `zeros` or `none`.
    - C3: a result, and an operand that is written in place, is bound once.
    - C4: `per_token` has integers of at least 1.

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
    Device memory of the size and layout defined in support/ControlBlock.h. A launch passes it to kernels that need
    values known only at run time. `systolic.control` reads it.
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
    In a kernel with `requests` these values are those of the request that the workgroup serves. So are `first`, the
    first row of the request, and `slot`, the number of the request's part of the states.

    `rows` is for templates. systolic-instantiate replaces it: by the kernel's parameter ROWS if the number of rows is
    known when the kernel is compiled, or, if ROWS is 0, by the tokens of the step.

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
  let summary = "all parameters of a launch of a kernel, kept after its tile program is lowered";
  let description = [{
    systolic-to-gpu-lower-kernels puts it, as `systolic.geometry`, on the operation around the kernel. It holds the
    launch's arguments; for each axis of the grid the extent, a parameter, and its tile; the kernel's parameters, array
    and schedule; the number of crews of that array in a workgroup; and whether the kernel reads the run scalars.

    - C1: `grid` is pairs of an extent, a parameter of at least 1, and a tile, a number of at least 1.
    - C2: each name in `per_token` of `launch` is a parameter of at least 1.
    - C3: the wave size is 32 or 64.
    - C4: it is an attribute of a symbol table that contains the kernel.
    - C5: there is at least 1 crew.
    - C6: there is at least 1 request. Each request has its own workgroups, as many as the largest step needs;
      so with more than 1 request the grid does not depend on the launch's tokens.
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
    /// The number of workgroups of a launch for up to `tokens` tokens.
    int64_t getWorkgroups(int64_t tokens) const;
  }];
}

#endif
