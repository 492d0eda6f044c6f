; Two waits are missing: on the way past the first branch v1 is stored before it is there, and v3 is overwritten while
; it is on its way. `axmem verify --waits` shows both.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
	.globl	copy
	.type	copy,@function
copy:
	s_load_dwordx4 s[0:3], s[4:5], 0x0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_dword v1, v0, s[0:1]
	global_load_dword v2, v0, s[0:1] offset:256
	global_load_dword v3, v0, s[0:1] offset:512
	s_cmp_eq_u32 s6, 0
	s_cbranch_scc1 .LBB0_2
	s_waitcnt vmcnt(1)
	v_add_u32_e32 v1, v1, v2
.LBB0_2:
	v_mov_b32_e32 v3, 1
	global_store_dword v0, v1, s[2:3]
	s_endpgm
.Lfunc_end0:
	.size	copy, .Lfunc_end0-copy
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel copy
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 8
		.amdhsa_accum_offset 4
	.end_amdhsa_kernel
