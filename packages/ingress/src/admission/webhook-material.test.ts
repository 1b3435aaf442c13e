import { beforeAll, describe, expect, test } from 'vitest';
import { certificatesIn, isServable, lifetimeOf, makeServingPair } from './webhook-certificate.ts';
import { nextStep, readMaterial, type WebhookMaterial, writeMaterial } from './webhook-material.ts';

const names = ['webhook.waygate-system.svc', 'webhook'];
const day = 24 * 60 * 60 * 1000;
const start = Date.parse('2030-01-01T00:00:00Z');
const settleMs = 60_000;

let material: WebhookMaterial;
let later: WebhookMaterial;

beforeAll(async () => {
  const pair = await makeServingPair(names, start, 90 * day);
  const next = await makeServingPair(names, start + 60 * day, 90 * day);
  material = { pair, trusted: [pair.cert] };
  later = { pair, next, trusted: [next.cert, pair.cert] };
});

const bundleOf = ({ trusted }: WebhookMaterial) => trusted.join('');
const step = (
  now: number,
  state: {
    material?: WebhookMaterial;
    remembered?: WebhookMaterial;
    bundles?: readonly (string | undefined)[];
  },
) =>
  nextStep({
    material: undefined,
    remembered: undefined,
    bundles: undefined,
    ...state,
    now,
    settleMs,
  });

describe('a pair', () => {
  test('is for its names, its key and its time', () => {
    expect(isServable(material.pair, names)).toBe(true);
    expect(isServable(material.pair, [...names, 'another'])).toBe(false);
    expect(isServable({ ...material.pair, key: later.next!.key }, names)).toBe(false);
    expect(lifetimeOf(material.pair.cert)).toEqual({ made: start, ends: start + 90 * day });
    expect(lifetimeOf('nonsense')).toBeUndefined();
    expect(certificatesIn(bundleOf(later))).toEqual(later.trusted);
  });

  test('comes back from its Secret', () => {
    for (const one of [material, later])
      expect(readMaterial({ data: writeMaterial(one) }, names)).toEqual(one);
  });

  test.each(['tls.crt', 'tls.key'])('without %s is none', (key) => {
    const { [key]: _, ...data } = writeMaterial(material);
    expect(readMaterial({ data }, names)).toBeUndefined();
    expect(readMaterial({ data: { ...data, [key]: 'bm9uc2Vuc2U=' } }, names)).toBeUndefined();
  });

  test('that is next is left out where nobody is to trust it', () => {
    const data = { ...writeMaterial(later), 'ca.crt': writeMaterial(material)['ca.crt']! };
    expect(readMaterial({ data }, names)).toEqual(material);
  });
});

describe('the next step', () => {
  test('makes what is not there', () => {
    expect(step(start, {})).toEqual({ kind: 'make' });
  });

  test('makes anew what is gone, and goes on with what is served as long as it can be', () => {
    expect(step(start, { remembered: material })).toEqual({ kind: 'make', before: material });
    expect(step(start + 90 * day, { remembered: material })).toEqual({ kind: 'make' });
    expect(step(start + 90 * day, { material, remembered: material })).toEqual({ kind: 'make' });
  });

  test.each([
    ['nothing', [undefined]],
    ['something else', ['another']],
    ['it in one place only', ['IT', undefined]],
  ])('has it trusted where %s is', (_, bundles) => {
    const bundle = bundleOf(material);
    const there = bundles.map((one) => (one === 'IT' ? bundle : one));
    expect(step(start, { material, bundles: there })).toEqual({ kind: 'inject', bundle });
  });

  test('waits for two thirds of the time, and then makes the next', () => {
    const bundles = [bundleOf(material)];
    expect(step(start + 60 * day - 1, { material, bundles })).toEqual({ kind: 'wait' });
    expect(step(start + 60 * day, { material, bundles })).toEqual({ kind: 'announce', material });
  });

  test('serves the next only once it is trusted, and that was seen', () => {
    const now = start + 60 * day;
    const bundle = bundleOf(later);
    const before = [bundleOf(material)];
    expect(step(now + settleMs, { material: later, bundles: before })).toEqual({
      kind: 'inject',
      bundle,
    });
    expect(step(now + settleMs - 1, { material: later, bundles: [bundle] })).toEqual({
      kind: 'wait',
    });
    expect(step(now + settleMs, { material: later, bundles: [bundle] })).toEqual({
      kind: 'share',
      material: { pair: later.next, trusted: later.trusted },
    });
  });

  test('forgets what ended', () => {
    const now: WebhookMaterial = { pair: later.next!, trusted: later.trusted };
    const bundles = [bundleOf(now)];
    expect(step(start + 90 * day - 1, { material: now, bundles })).toEqual({ kind: 'wait' });
    expect(step(start + 90 * day, { material: now, bundles })).toEqual({
      kind: 'share',
      material: { pair: now.pair, trusted: [now.pair.cert] },
    });
  });
});
