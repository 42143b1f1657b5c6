/** Feature hashing, the baseline that the static model must beat: words and character trigrams, no stop words. */

const DIMENSION = 512;
const NGRAM = 3;
const NGRAM_WEIGHT = 0.4;
const STOP_WORDS = new Set(
  "a an and are as at be by do for from has have how if in into is it its of on or so than that the their then there they this to was what when where which who will with you your".split(
    " ",
  ),
);

/** Unit vector of a text under signed feature hashing. */
export function hashedVector(text: string): Float32Array {
  const vector = new Float32Array(DIMENSION);
  const words = (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !STOP_WORDS.has(word));
  for (const word of words) {
    add(vector, `w:${word}`, 1);
    const padded = ` ${word} `;
    for (let i = 0; i + NGRAM <= padded.length; i++) add(vector, padded.slice(i, i + NGRAM), NGRAM_WEIGHT);
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

function add(vector: Float32Array, feature: string, weight: number): void {
  const hash = fnv1a(feature);
  const index = (hash >>> 1) % DIMENSION;
  vector[index] = (vector[index] ?? 0) + ((hash & 1) === 0 ? weight : -weight);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  return hash >>> 0;
}
