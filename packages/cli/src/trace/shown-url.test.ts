import { expect, test } from 'vitest';
import { shownUrl } from './shown-url.ts';

test.each([
  ['ssh://git@git.example/fleet', 'ssh://git@git.example/fleet'],
  ['ssh://git:secret@git.example/fleet', 'ssh://***@git.example/fleet'],
  ['https://token@git.example/fleet', 'https://***@git.example/fleet'],
  ['https://me:secret@git.example/fleet', 'https://***@git.example/fleet'],
  ['https://git.example/a@b', 'https://git.example/a@b'],
])('%s is shown as %s', (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});
