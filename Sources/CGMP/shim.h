#ifndef TRUSTLAB_CGMP_SHIM_H
#define TRUSTLAB_CGMP_SHIM_H

#include <gmp.h>
#include <string.h>

/*
 * GMP gives its functions their documented names by object-like macros (`#define mpn_add __gmpn_add`), which Swift
 * does not import. Here the ones that are used get those names back as real functions. Only the functions whose result
 * Swift should not have to ignore by hand return something else than in GMP: nothing.
 */

#undef mpn_add
static inline mp_limb_t mpn_add(mp_limb_t *r, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn) {
  return __gmpn_add(r, a, an, b, bn);
}

#undef mpn_sub
static inline mp_limb_t mpn_sub(mp_limb_t *r, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn) {
  return __gmpn_sub(r, a, an, b, bn);
}

#undef mpn_sub_n
static inline mp_limb_t mpn_sub_n(mp_limb_t *r, const mp_limb_t *a, const mp_limb_t *b, mp_size_t n) {
  return __gmpn_sub_n(r, a, b, n);
}

#undef mpn_cnd_add_n
static inline void mpn_cnd_add_n(mp_limb_t condition, mp_limb_t *r, const mp_limb_t *a, const mp_limb_t *b,
                                 mp_size_t n) {
  __gmpn_cnd_add_n(condition, r, a, b, n);
}

#undef mpn_mul
static inline void mpn_mul(mp_limb_t *r, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn) {
  __gmpn_mul(r, a, an, b, bn);
}

#undef mpn_sqr
static inline void mpn_sqr(mp_limb_t *r, const mp_limb_t *a, mp_size_t n) { __gmpn_sqr(r, a, n); }

#undef mpn_tdiv_qr
static inline void mpn_tdiv_qr(mp_limb_t *q, mp_limb_t *r, const mp_limb_t *n, mp_size_t nn, const mp_limb_t *d,
                               mp_size_t dn) {
  __gmpn_tdiv_qr(q, r, 0, n, nn, d, dn);
}

#undef mpn_mod_1
static inline mp_limb_t mpn_mod_1(const mp_limb_t *a, mp_size_t n, mp_limb_t divisor) {
  return __gmpn_mod_1(a, n, divisor);
}

#undef mpn_lshift
static inline mp_limb_t mpn_lshift(mp_limb_t *r, const mp_limb_t *a, mp_size_t n, unsigned count) {
  return __gmpn_lshift(r, a, n, count);
}

#undef mpn_rshift
static inline mp_limb_t mpn_rshift(mp_limb_t *r, const mp_limb_t *a, mp_size_t n, unsigned count) {
  return __gmpn_rshift(r, a, n, count);
}

#undef mpn_cmp
static inline int mpn_cmp(const mp_limb_t *a, const mp_limb_t *b, mp_size_t n) { return __gmpn_cmp(a, b, n); }

#undef mpn_set_str
static inline mp_size_t mpn_set_str(mp_limb_t *r, const unsigned char *digits, size_t count, int base) {
  return __gmpn_set_str(r, digits, count, base);
}

#undef mpn_get_str
static inline size_t mpn_get_str(unsigned char *digits, int base, mp_limb_t *a, mp_size_t n) {
  return __gmpn_get_str(digits, base, a, n);
}

#undef mpn_sec_mul
static inline void mpn_sec_mul(mp_limb_t *r, const mp_limb_t *a, mp_size_t an, const mp_limb_t *b, mp_size_t bn,
                               mp_limb_t *scratch) {
  __gmpn_sec_mul(r, a, an, b, bn, scratch);
}

#undef mpn_sec_mul_itch
static inline mp_size_t mpn_sec_mul_itch(mp_size_t an, mp_size_t bn) { return __gmpn_sec_mul_itch(an, bn); }

#undef mpn_sec_div_r
static inline void mpn_sec_div_r(mp_limb_t *a, mp_size_t an, const mp_limb_t *d, mp_size_t dn, mp_limb_t *scratch) {
  __gmpn_sec_div_r(a, an, d, dn, scratch);
}

#undef mpn_sec_div_r_itch
static inline mp_size_t mpn_sec_div_r_itch(mp_size_t an, mp_size_t dn) { return __gmpn_sec_div_r_itch(an, dn); }

#undef mpn_sec_add_1
static inline void mpn_sec_add_1(mp_limb_t *r, const mp_limb_t *a, mp_size_t n, mp_limb_t b, mp_limb_t *scratch) {
  __gmpn_sec_add_1(r, a, n, b, scratch);
}

#undef mpn_sec_add_1_itch
static inline mp_size_t mpn_sec_add_1_itch(mp_size_t n) { return __gmpn_sec_add_1_itch(n); }

#undef mpn_add_n
static inline mp_limb_t mpn_add_n(mp_limb_t *r, const mp_limb_t *a, const mp_limb_t *b, mp_size_t n) {
  return __gmpn_add_n(r, a, b, n);
}

#undef mpn_sec_powm
static inline void mpn_sec_powm(mp_limb_t *r, const mp_limb_t *b, mp_size_t bn, const mp_limb_t *e, mp_bitcnt_t ebits,
                                const mp_limb_t *m, mp_size_t mn, mp_limb_t *scratch) {
  __gmpn_sec_powm(r, b, bn, e, ebits, m, mn, scratch);
}

#undef mpn_sec_powm_itch
static inline mp_size_t mpn_sec_powm_itch(mp_size_t bn, mp_bitcnt_t ebits, mp_size_t mn) {
  return __gmpn_sec_powm_itch(bn, ebits, mn);
}

/* A view of limbs as an integer, without copying them; it must not outlive them and is never cleared. */
static inline __mpz_struct mpz_view(const mp_limb_t *limbs, mp_size_t count) {
  __mpz_struct view;
  __gmpz_roinit_n(&view, limbs, count);
  return view;
}

#undef mpz_init
static inline void mpz_init(__mpz_struct *r) { __gmpz_init(r); }

#undef mpz_clear
static inline void mpz_clear(__mpz_struct *r) { __gmpz_clear(r); }

#undef mpz_size
static inline size_t mpz_size(const __mpz_struct *a) { return __gmpz_size(a); }

#undef mpz_limbs_read
static inline const mp_limb_t *mpz_limbs_read(const __mpz_struct *a) { return __gmpz_limbs_read(a); }

#undef mpz_powm
static inline void mpz_powm(__mpz_struct *r, const __mpz_struct *b, const __mpz_struct *e, const __mpz_struct *m) {
  __gmpz_powm(r, b, e, m);
}

#undef mpz_invert
static inline int mpz_invert(__mpz_struct *r, const __mpz_struct *a, const __mpz_struct *m) {
  return __gmpz_invert(r, a, m);
}

#undef mpz_gcd
static inline void mpz_gcd(__mpz_struct *r, const __mpz_struct *a, const __mpz_struct *b) { __gmpz_gcd(r, a, b); }

#undef mpz_probab_prime_p
static inline int mpz_probab_prime_p(const __mpz_struct *a, int rounds) { return __gmpz_probab_prime_p(a, rounds); }

/* Overwrites memory with zeros in a way that the compiler may not leave out. */
static inline void wipe(void *memory, size_t count) {
  memset(memory, 0, count);
  __asm__ volatile("" : : "r"(memory) : "memory");
}

#endif
