import { join } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Block, blockOf, codeBlocks, root } from './code-blocks.ts';

// Code that a reader copies must compile: every ```ts block of the pages, and of the comments on exports.
//
// Each block is a module of its own, where its page is. A block of a page stands alone, imports and all. A
// block of a comment may leave out the imports of its own room, since its reader is there already, and may
// take `client` and `signal` for given.

const blocks = codeBlocks();
const wrong = blockOf('README.md', 0, "import { noSuchName } from '@waygate/text';");

describe('code in pages and comments', () => {
  let program: ts.Program;
  beforeAll(() => {
    program = programOf([wrong, ...blocks]);
  }, 240_000);

  test('there is some', () => {
    expect(blocks.filter(({ file }) => file.endsWith('.md')).length).toBeGreaterThan(10);
    expect(blocks.filter(({ file }) => file.endsWith('.ts')).length).toBeGreaterThan(40);
  });

  test('a name that is not there is found', () => {
    expect(problemsOf(program, wrong)).toEqual([
      expect.stringMatching(/^README\.md:2: .*has no exported member 'noSuchName'/),
    ]);
    // The first that asks waits for the types of everything.
  }, 240_000);

  test.each(blocks.map((block) => [block.place, block] as const))(
    '%s',
    (_, block) => {
      expect(problemsOf(program, block)).toEqual([]);
    },
    120_000,
  );
});

/** One program for all blocks. Only the blocks are checked; of the rooms no more than they use. */
function programOf(modules: readonly Block[]): ts.Program {
  const config = ts.readConfigFile(join(root, 'tsconfig.test.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(
    { ...config.config, include: [] },
    ts.sys,
    root,
  );
  const { tsBuildInfoFile: _, ...rest } = options;
  const texts = new Map(modules.map(({ path, code }) => [path, code]));
  const settings = { ...rest, incremental: false, noEmit: true };
  const host = ts.createCompilerHost(settings);
  const { fileExists, readFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  return ts.createProgram([...texts.keys()], settings, host);
}

function problemsOf(program: ts.Program, block: Block): string[] {
  const source = program.getSourceFile(block.path);
  if (source === undefined) return [`${block.place}: was not read`];
  return [
    ...program.getSyntacticDiagnostics(source),
    ...program.getSemanticDiagnostics(source),
  ].map(({ start, messageText }) => {
    const { line } = source.getLineAndCharacterOfPosition(start ?? 0);
    const at = line - block.preludeLines + block.firstLine;
    return `${block.file}:${at}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}
