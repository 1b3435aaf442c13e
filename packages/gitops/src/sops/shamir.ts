import { sopsError } from './sops-error.ts';

const logarithms = new Uint8Array(256);
const exponents = new Uint8Array(255);
{
  let value = 1;
  for (let power = 0; power < 255; power++) {
    exponents[power] = value;
    logarithms[value] = power;
    // Times three, in the field of AES.
    value ^= (value << 1) ^ (value & 0x80 ? 0x11b : 0);
    value &= 0xff;
  }
}

function multiply(left: number, right: number): number {
  if (left === 0 || right === 0) return 0;
  return exponents[((logarithms[left] ?? 0) + (logarithms[right] ?? 0)) % 255] ?? 0;
}

function divide(left: number, right: number): number {
  if (left === 0) return 0;
  return exponents[((logarithms[left] ?? 0) - (logarithms[right] ?? 0) + 255) % 255] ?? 0;
}

/** Puts shares of Shamir's scheme together: the last byte of each is its place on the curve. */
export function combineShares(shares: readonly Uint8Array[]): Uint8Array {
  const length = shares[0]?.length ?? 0;
  const places = shares.map((share) => share[length - 1] ?? 0);
  const isSound = shares.every((share) => share.length === length) && length > 1;
  if (!isSound || new Set(places).size !== places.length || places.includes(0)) {
    throw sopsError('the shares of the data key do not fit together');
  }
  const secret = new Uint8Array(length - 1);
  for (let index = 0; index < secret.length; index++) {
    let sum = 0;
    shares.forEach((share, own) => {
      let basis = 1;
      places.forEach((place, other) => {
        if (other === own) return;
        basis = multiply(basis, divide(place, place ^ (places[own] ?? 0)));
      });
      sum ^= multiply(share[index] ?? 0, basis);
    });
    secret[index] = sum;
  }
  return secret;
}
