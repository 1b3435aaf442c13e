import { buildMetadataCommands } from './build-metadata.ts';
import type { EditCommand } from './command.ts';
import { fileListCommands } from './file-lists.ts';
import { fixCommand } from './fix.ts';
import { generatorSourceCommands } from './generator-sources.ts';
import { imageCommands } from './images.ts';
import { metadataCommands } from './metadata.ts';
import { patchCommands } from './patches.ts';
import { nameCommands } from './set-names.ts';

/** All commands of `edit`. */
export const editCommands: readonly EditCommand[] = [
  ...imageCommands,
  ...nameCommands,
  ...metadataCommands,
  ...buildMetadataCommands,
  ...generatorSourceCommands,
  ...fileListCommands,
  ...patchCommands,
  fixCommand,
];
