// @ts-check
// BLAKE2b-256 (RFC 7693), which browsers do not have.

const MASK = (1n << 64n) - 1n;
const BLOCK = 128;
/** Bytes of a hash. */
export const HASH = 32;
const IV = [0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n];
/** In which order the words of a block are taken, a row a round. */
const SIGMA = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
].map((row) => [...row].map((digit) => parseInt(digit, 16)));
/** Which of the sixteen words a step mixes: four columns, then four diagonals. */
const STEPS = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];

/** @param {bigint} word @param {bigint} by */
const turn = (word, by) => (word >> by) | ((word << (64n - by)) & MASK);

/** @param {bigint[]} v @param {number[]} step @param {bigint} x @param {bigint} y */
function mix(v, [a, b, c, d], x, y) {
  v[a] = (v[a] + v[b] + x) & MASK;
  v[d] = turn(v[d] ^ v[a], 32n);
  v[c] = (v[c] + v[d]) & MASK;
  v[b] = turn(v[b] ^ v[c], 24n);
  v[a] = (v[a] + v[b] + y) & MASK;
  v[d] = turn(v[d] ^ v[a], 16n);
  v[c] = (v[c] + v[d]) & MASK;
  v[b] = turn(v[b] ^ v[c], 63n);
}

/** @param {bigint[]} h @param {DataView} block @param {bigint} taken @param {boolean} isLast */
function compress(h, block, taken, isLast) {
  const m = Array.from({ length: 16 }, (_, index) => block.getBigUint64(index * 8, true));
  const v = [...h, ...IV];
  v[12] ^= taken;
  if (isLast) v[14] ^= MASK;
  for (let round = 0; round < 12; round++) {
    const order = SIGMA[round % 10];
    STEPS.forEach((step, index) => mix(v, step, m[order[2 * index]], m[order[2 * index + 1]]));
  }
  h.forEach((word, index) => {
    h[index] = word ^ v[index] ^ v[index + 8];
  });
}

/** BLAKE2b-256 in small hexadecimal digits. @param {Uint8Array} bytes */
export function blake2b(bytes) {
  const h = [...IV];
  h[0] ^= 0x01010000n ^ BigInt(HASH);
  const blocks = Math.max(1, Math.ceil(bytes.length / BLOCK));
  const padded = new Uint8Array(blocks * BLOCK);
  padded.set(bytes);
  for (let index = 0; index < blocks; index++) {
    const isLast = index === blocks - 1;
    compress(h, new DataView(padded.buffer, index * BLOCK, BLOCK), BigInt(isLast ? bytes.length : (index + 1) * BLOCK), isLast);
  }
  const view = new DataView(new ArrayBuffer(HASH));
  for (let index = 0; index < HASH / 8; index++) view.setBigUint64(index * 8, h[index], true);
  return [...new Uint8Array(view.buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
