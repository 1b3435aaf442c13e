import { expect, test } from 'vitest';
import { uuidV5 } from './uuid-v5.ts';

// The namespaces and one of the examples are those of RFC 9562.
test.each([
  [
    '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    'www.example.com',
    '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  ],
  ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'python.org', '886313e1-3b8a-5372-9b90-0c9aee199e5d'],
])('of %s and %s it is %s', (namespace, name, expected) => {
  expect(uuidV5(namespace, name)).toBe(expected);
});
