// A hand-written Llama of two layers with the shapes of stories260K (hidden 64, 8 heads, 4 key-value heads, context
// 512), as an importer emits it, before any pass. Its weights have no bytes (--weights=random or none).
module attributes {nstf.model = {architecture = "llama", name = "two-layer llama", context = 512 : i64, vocabulary = 512 : i64,
                                 bos = 1 : i64, eos = [2], tokenizer = ""}} {
  nstf.weight @model.embed_tokens.weight : tensor<512x64xf32>
  nstf.weight @model.layers.0.input_layernorm.weight : tensor<64xf32>
  nstf.weight @model.layers.0.self_attn.q_proj.weight : tensor<64x64xf32>
  nstf.weight @model.layers.0.self_attn.k_proj.weight : tensor<32x64xf32>
  nstf.weight @model.layers.0.self_attn.v_proj.weight : tensor<32x64xf32>
  nstf.weight @model.layers.0.self_attn.o_proj.weight : tensor<64x64xf32>
  nstf.weight @model.layers.0.post_attention_layernorm.weight : tensor<64xf32>
  nstf.weight @model.layers.0.mlp.gate_proj.weight : tensor<172x64xf32>
  nstf.weight @model.layers.0.mlp.up_proj.weight : tensor<172x64xf32>
  nstf.weight @model.layers.0.mlp.down_proj.weight : tensor<64x172xf32>
  nstf.weight @model.layers.1.input_layernorm.weight : tensor<64xf32>
  nstf.weight @model.layers.1.self_attn.q_proj.weight : tensor<64x64xf32>
  nstf.weight @model.layers.1.self_attn.k_proj.weight : tensor<32x64xf32>
  nstf.weight @model.layers.1.self_attn.v_proj.weight : tensor<32x64xf32>
  nstf.weight @model.layers.1.self_attn.o_proj.weight : tensor<64x64xf32>
  nstf.weight @model.layers.1.post_attention_layernorm.weight : tensor<64xf32>
  nstf.weight @model.layers.1.mlp.gate_proj.weight : tensor<172x64xf32>
  nstf.weight @model.layers.1.mlp.up_proj.weight : tensor<172x64xf32>
  nstf.weight @model.layers.1.mlp.down_proj.weight : tensor<64x172xf32>
  nstf.weight @model.norm.weight : tensor<64xf32>
  nstf.state @layers.0.k_cache : tensor<512x32xf32>
  nstf.state @layers.0.v_cache : tensor<512x32xf32>
  nstf.state @layers.1.k_cache : tensor<512x32xf32>
  nstf.state @layers.1.v_cache : tensor<512x32xf32>

  nstf.graph @main(%ids: tensor<?xi32> {nstf.name = "ids"})
      -> (tensor<1x512xf32> {nstf.name = "logits"}, tensor<1xi32> {nstf.name = "next"})
      attributes {context = 512 : i64} {
    %table = nstf.get @model.embed_tokens.weight : tensor<512x64xf32>
    %x0 = nstf.embedding %ids, %table : (tensor<?xi32>, tensor<512x64xf32>) -> tensor<?x64xf32> loc("model.embed_tokens")

    // Layer 0
    %l0_n_w = nstf.get @model.layers.0.input_layernorm.weight : tensor<64xf32>
    %l0_n = nstf.rms_norm %x0, %l0_n_w {eps = 1.0e-5 : f64} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> loc("model.layers.0.input_layernorm")
    %l0_q_w = nstf.get @model.layers.0.self_attn.q_proj.weight : tensor<64x64xf32>
    %l0_q = nstf.linear %l0_n, %l0_q_w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> loc("model.layers.0.self_attn.q_proj")
    %l0_k_w = nstf.get @model.layers.0.self_attn.k_proj.weight : tensor<32x64xf32>
    %l0_k = nstf.linear %l0_n, %l0_k_w : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32> loc("model.layers.0.self_attn.k_proj")
    %l0_v_w = nstf.get @model.layers.0.self_attn.v_proj.weight : tensor<32x64xf32>
    %l0_v = nstf.linear %l0_n, %l0_v_w : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32> loc("model.layers.0.self_attn.v_proj")
    %l0_qr = nstf.rope %l0_q {head_size = 8 : i64, inv_freq = array<f64: 1.0, 0.1, 0.01, 0.001>, interleaved}
        : (tensor<?x64xf32>) -> tensor<?x64xf32> loc("model.layers.0.self_attn.q_rope")
    %l0_kr = nstf.rope %l0_k {head_size = 8 : i64, inv_freq = array<f64: 1.0, 0.1, 0.01, 0.001>, interleaved}
        : (tensor<?x32xf32>) -> tensor<?x32xf32> loc("model.layers.0.self_attn.k_rope")
    %l0_k_cache = nstf.get @layers.0.k_cache : tensor<512x32xf32>
    %l0_ks = nstf.kv_append %l0_kr, %l0_k_cache : (tensor<?x32xf32>, tensor<512x32xf32>) -> tensor<512x32xf32> loc("model.layers.0.self_attn.k_append")
    %l0_v_cache = nstf.get @layers.0.v_cache : tensor<512x32xf32>
    %l0_vs = nstf.kv_append %l0_v, %l0_v_cache : (tensor<?x32xf32>, tensor<512x32xf32>) -> tensor<512x32xf32> loc("model.layers.0.self_attn.v_append")
    %l0_a = nstf.attention %l0_qr, %l0_ks, %l0_vs {heads = 8 : i64, kv_heads = 4 : i64, causal, scale = 0.35355339059327373 : f64}
        : (tensor<?x64xf32>, tensor<512x32xf32>, tensor<512x32xf32>) -> tensor<?x64xf32> loc("model.layers.0.self_attn")
    %l0_o_w = nstf.get @model.layers.0.self_attn.o_proj.weight : tensor<64x64xf32>
    %l0_o = nstf.linear %l0_a, %l0_o_w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> loc("model.layers.0.self_attn.o_proj")
    %l0_h = nstf.add %x0, %l0_o : tensor<?x64xf32> loc("model.layers.0.self_attn.residual")
    %l0_m_w = nstf.get @model.layers.0.post_attention_layernorm.weight : tensor<64xf32>
    %l0_m = nstf.rms_norm %l0_h, %l0_m_w {eps = 1.0e-5 : f64} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> loc("model.layers.0.post_attention_layernorm")
    %l0_gate_w = nstf.get @model.layers.0.mlp.gate_proj.weight : tensor<172x64xf32>
    %l0_gate = nstf.linear %l0_m, %l0_gate_w : (tensor<?x64xf32>, tensor<172x64xf32>) -> tensor<?x172xf32> loc("model.layers.0.mlp.gate_proj")
    %l0_up_w = nstf.get @model.layers.0.mlp.up_proj.weight : tensor<172x64xf32>
    %l0_up = nstf.linear %l0_m, %l0_up_w : (tensor<?x64xf32>, tensor<172x64xf32>) -> tensor<?x172xf32> loc("model.layers.0.mlp.up_proj")
    %l0_act = nstf.swiglu %l0_gate, %l0_up : tensor<?x172xf32> loc("model.layers.0.mlp.act_fn")
    %l0_down_w = nstf.get @model.layers.0.mlp.down_proj.weight : tensor<64x172xf32>
    %l0_down = nstf.linear %l0_act, %l0_down_w : (tensor<?x172xf32>, tensor<64x172xf32>) -> tensor<?x64xf32> loc("model.layers.0.mlp.down_proj")
    %x1 = nstf.add %l0_h, %l0_down : tensor<?x64xf32> loc("model.layers.0.mlp.residual")

    // Layer 1
    %l1_n_w = nstf.get @model.layers.1.input_layernorm.weight : tensor<64xf32>
    %l1_n = nstf.rms_norm %x1, %l1_n_w {eps = 1.0e-5 : f64} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> loc("model.layers.1.input_layernorm")
    %l1_q_w = nstf.get @model.layers.1.self_attn.q_proj.weight : tensor<64x64xf32>
    %l1_q = nstf.linear %l1_n, %l1_q_w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> loc("model.layers.1.self_attn.q_proj")
    %l1_k_w = nstf.get @model.layers.1.self_attn.k_proj.weight : tensor<32x64xf32>
    %l1_k = nstf.linear %l1_n, %l1_k_w : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32> loc("model.layers.1.self_attn.k_proj")
    %l1_v_w = nstf.get @model.layers.1.self_attn.v_proj.weight : tensor<32x64xf32>
    %l1_v = nstf.linear %l1_n, %l1_v_w : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32> loc("model.layers.1.self_attn.v_proj")
    %l1_qr = nstf.rope %l1_q {head_size = 8 : i64, inv_freq = array<f64: 1.0, 0.1, 0.01, 0.001>, interleaved}
        : (tensor<?x64xf32>) -> tensor<?x64xf32> loc("model.layers.1.self_attn.q_rope")
    %l1_kr = nstf.rope %l1_k {head_size = 8 : i64, inv_freq = array<f64: 1.0, 0.1, 0.01, 0.001>, interleaved}
        : (tensor<?x32xf32>) -> tensor<?x32xf32> loc("model.layers.1.self_attn.k_rope")
    %l1_k_cache = nstf.get @layers.1.k_cache : tensor<512x32xf32>
    %l1_ks = nstf.kv_append %l1_kr, %l1_k_cache : (tensor<?x32xf32>, tensor<512x32xf32>) -> tensor<512x32xf32> loc("model.layers.1.self_attn.k_append")
    %l1_v_cache = nstf.get @layers.1.v_cache : tensor<512x32xf32>
    %l1_vs = nstf.kv_append %l1_v, %l1_v_cache : (tensor<?x32xf32>, tensor<512x32xf32>) -> tensor<512x32xf32> loc("model.layers.1.self_attn.v_append")
    %l1_a = nstf.attention %l1_qr, %l1_ks, %l1_vs {heads = 8 : i64, kv_heads = 4 : i64, causal, scale = 0.35355339059327373 : f64}
        : (tensor<?x64xf32>, tensor<512x32xf32>, tensor<512x32xf32>) -> tensor<?x64xf32> loc("model.layers.1.self_attn")
    %l1_o_w = nstf.get @model.layers.1.self_attn.o_proj.weight : tensor<64x64xf32>
    %l1_o = nstf.linear %l1_a, %l1_o_w : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32> loc("model.layers.1.self_attn.o_proj")
    %l1_h = nstf.add %x1, %l1_o : tensor<?x64xf32> loc("model.layers.1.self_attn.residual")
    %l1_m_w = nstf.get @model.layers.1.post_attention_layernorm.weight : tensor<64xf32>
    %l1_m = nstf.rms_norm %l1_h, %l1_m_w {eps = 1.0e-5 : f64} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32> loc("model.layers.1.post_attention_layernorm")
    %l1_gate_w = nstf.get @model.layers.1.mlp.gate_proj.weight : tensor<172x64xf32>
    %l1_gate = nstf.linear %l1_m, %l1_gate_w : (tensor<?x64xf32>, tensor<172x64xf32>) -> tensor<?x172xf32> loc("model.layers.1.mlp.gate_proj")
    %l1_up_w = nstf.get @model.layers.1.mlp.up_proj.weight : tensor<172x64xf32>
    %l1_up = nstf.linear %l1_m, %l1_up_w : (tensor<?x64xf32>, tensor<172x64xf32>) -> tensor<?x172xf32> loc("model.layers.1.mlp.up_proj")
    %l1_act = nstf.swiglu %l1_gate, %l1_up : tensor<?x172xf32> loc("model.layers.1.mlp.act_fn")
    %l1_down_w = nstf.get @model.layers.1.mlp.down_proj.weight : tensor<64x172xf32>
    %l1_down = nstf.linear %l1_act, %l1_down_w : (tensor<?x172xf32>, tensor<64x172xf32>) -> tensor<?x64xf32> loc("model.layers.1.mlp.down_proj")
    %x2 = nstf.add %l1_h, %l1_down : tensor<?x64xf32> loc("model.layers.1.mlp.residual")

    %last = nstf.last_row %x2 : (tensor<?x64xf32>) -> tensor<1x64xf32> loc("model.last_row")
    %n_w = nstf.get @model.norm.weight : tensor<64xf32>
    %n = nstf.rms_norm %last, %n_w {eps = 1.0e-5 : f64} : (tensor<1x64xf32>, tensor<64xf32>) -> tensor<1x64xf32> loc("model.norm")
    %logits = nstf.linear %n, %table : (tensor<1x64xf32>, tensor<512x64xf32>) -> tensor<1x512xf32> loc("lm_head")
    %next = nstf.argmax %logits : (tensor<1x512xf32>) -> tensor<1xi32> loc("next")
    nstf.return %logits, %next : tensor<1x512xf32>, tensor<1xi32>
  }
}
