// All operations of the dialect, for TableGen.
#ifndef NSTF_OPS
#define NSTF_OPS

include "dialects/nstf/StructureOps.td"
include "dialects/nstf/VariantOp.td"
include "dialects/nstf/LayerOps.td"
include "dialects/nstf/NormOps.td"
include "dialects/nstf/QuantizeOps.td"
include "dialects/nstf/RowOps.td"
include "dialects/nstf/AttentionOps.td"
include "dialects/nstf/ElementwiseOps.td"

#endif
