import { expect, test } from 'vitest';
import { bcryptSteps, bcryptText, isBcrypt } from './bcrypt.ts';

function hashed(password: Uint8Array, settings: string): { hash: string; steps: number } {
  const steps = bcryptSteps(password, settings);
  let count = 0;
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) count += 1;
  return { hash: step.value, steps: count };
}

test.each([
  ['', '$2a$06$DCq7YPn5Rq63x1Lad4cll.TV4S6ytwfsfvkgY8jIucDrjc8deX1s.'],
  ['a', '$2a$06$m0CrhHm10qJ3lXRY.5zDGO3rS2KdeeWLuGmsfGlMfOxih58VYVfxe'],
  ['abc', '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
])('%j is hashed as others hash it', (password, hash) => {
  expect(hashed(Buffer.from(password), hash)).toEqual({ hash, steps: 2 });
});

test('of a password 72 bytes count, and none is as good as all', () => {
  const settings = '$2b$04$......................';
  const long = Buffer.alloc(80, 'x');
  const { hash } = hashed(long, settings);
  expect(hashed(long.subarray(0, 72), settings).hash).toBe(hash);
  expect(hashed(long.subarray(0, 71), settings).hash).not.toBe(hash);
});

test('a cost below that of a step needs none', () => {
  expect(hashed(Buffer.from('a'), '$2y$04$......................').steps).toBe(0);
});

test('what is no hash of bcrypt is refused', () => {
  expect(isBcrypt('$2y$10$......................')).toBe(true);
  expect(isBcrypt('$apr1$10$......................')).toBe(false);
  expect(() => hashed(Buffer.from('a'), '$5$salt$')).toThrow('no hash of bcrypt');
});

test('bytes are written in an alphabet of its own', () => {
  expect(bcryptText(Buffer.alloc(16))).toBe('.'.repeat(22));
  expect(bcryptText(Buffer.of(255, 255, 255))).toBe('9999');
});
