import { describe, expect, test } from 'vitest';
import { emptyProject, parseProjectFile, substitutions } from './project-file.ts';

describe('parseProjectFile', () => {
  test('reads every field', () => {
    const { project, problems } = parseProjectFile(`
path: overlays/laptop
backends:
  - name: catalog-stable
    command: [node, server.mjs, 1]
    env: { LOG: true }
variables: { region: here }
try: { path: /catalog, headers: { apikey: k } }
`);
    expect(problems).toEqual([]);
    expect(project).toEqual({
      path: 'overlays/laptop',
      backends: [
        { name: 'catalog-stable', command: ['node', 'server.mjs', '1'], env: { LOG: 'true' } },
      ],
      variables: { region: 'here' },
      try: { path: '/catalog', headers: { apikey: 'k' } },
    });
    expect(substitutions(project, new Map([['catalog-stable', 7101]]))).toEqual({
      region: 'here',
      catalog_stable_port: '7101',
    });
  });

  test('an empty file is an empty project', () => {
    expect(parseProjectFile('').project).toEqual(emptyProject);
  });

  test.each([
    ['path: ../other', 'path must stay inside the project'],
    ['path: /etc', 'path must stay inside the project'],
    ['paht: x', 'paht is not known here; there are path, backends, variables, try'],
    ['backends: {}', 'backends must be a list'],
    [
      'backends: [{name: A b, command: [x]}]',
      'backends[0].name must be lower-case letters, digits and dashes',
    ],
    [
      'backends: [{name: a, command: node}]',
      'backends[0].command must be a list: a program and its arguments',
    ],
    [
      'backends: [{name: a, command: [x]}, {name: a, command: [x]}]',
      'backends there are two with the name a',
    ],
    ['variables: {a: []}', 'variables.a must be text'],
    ['[]', 'must be an object'],
  ])('%s', (text, message) => {
    expect(parseProjectFile(text).problems).toContainEqual({ place: 'waygate.yaml', message });
  });

  test('a syntax error names its line', () => {
    expect(parseProjectFile('path: x\nbackends: [').problems[0]?.place).toMatch(
      /^waygate\.yaml:[23]$/,
    );
  });
});
