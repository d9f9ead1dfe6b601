/* What bitsandbytes is linked to of hipBLAS, hipBLASLt and rocBLAS. Nothing of it is called by the test; every call
 * fails. */
#define ABSENT(name)                                                                                                   \
  int name(void) { return 1; }
ABSENT(hipblasGemmEx)
ABSENT(hipblasGemmStridedBatchedEx)
ABSENT(hipblasLtMatmul)
ABSENT(hipblasLtMatmulAlgoGetHeuristic)
ABSENT(hipblasLtMatmulDescCreate)
ABSENT(hipblasLtMatmulDescDestroy)
ABSENT(hipblasLtMatmulDescSetAttribute)
ABSENT(hipblasLtMatmulPreferenceCreate)
ABSENT(hipblasLtMatmulPreferenceSetAttribute)
ABSENT(hipblasLtMatrixLayoutCreate)
ABSENT(hipblasLtMatrixLayoutDestroy)
ABSENT(rocblas_create_handle)
