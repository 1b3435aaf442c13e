import { mergeDocuments, type NamedDocument } from '@waygate/kong/rewrite';
import type { Command } from 'commander';
import type { CliContext } from '../context.ts';
import {
  readDocument,
  refusing,
  type WriteOptions,
  writeDocument,
  writeOptions,
} from './file-documents.ts';

export function configure(command: Command, context: CliContext): void {
  writeOptions(command)
    .argument('<files...>', 'declarative files, or - for the standard input')
    .addHelpText(
      'after',
      `
Lists at the top of the files are joined, of everything else the last one stays. What is in them is
not looked at: "waygate file render" reads files as a sync would.

Examples:
  waygate file merge base.yaml team.yaml -o kong.yaml`,
    )
    .action((files: readonly string[], options: WriteOptions) =>
      refusing(async () => {
        const documents: NamedDocument[] = [];
        for (const file of files) {
          documents.push({ file, document: await readDocument(file, context) });
        }
        await writeDocument(mergeDocuments(documents), options, context);
      }),
    );
}
