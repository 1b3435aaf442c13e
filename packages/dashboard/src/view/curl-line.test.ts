import { expect, test } from 'vitest';
import { curlQuestion } from './curl-line.ts';

test.each([
  ['http://shop.test/a', { url: 'http://shop.test/a' }],
  ['  shop.test/a  ', { url: 'shop.test/a' }],
  [
    "curl -X POST -H 'Host: shop.test' http://127.0.0.1:8000/orders",
    { url: 'http://127.0.0.1:8000/orders', method: 'POST', headers: { Host: 'shop.test' } },
  ],
  [
    'curl -XPUT "http://a.test/x y" -H "X-A: \\"b\\""',
    { url: 'http://a.test/x y', method: 'PUT', headers: { 'X-A': '"b"' } },
  ],
  [
    "curl 'http://a.test/' \\\n  -H 'A: 1' \\\n  --data-raw '{\"a\": 1}' --compressed",
    { url: 'http://a.test/', method: 'POST', headers: { A: '1' } },
  ],
  [
    'curl --request=DELETE --url http://a.test/1 -u me:secret -o out.txt -k',
    { url: 'http://a.test/1', method: 'DELETE', headers: {} },
  ],
  ['curl -I a.test', { url: 'a.test', method: 'HEAD', headers: {} }],
  ['curl', { url: '', headers: {} }],
])('%s', (text, wanted) => {
  expect(curlQuestion({ url: text })).toEqual(wanted);
});

test('what is given beside the line counts', () => {
  const asked = curlQuestion({ url: 'curl -X GET a.test', method: 'POST', headers: { B: '2' } });
  expect(asked).toEqual({ url: 'a.test', method: 'POST', headers: { B: '2' } });
});
