// What a script was given. A wrong use gets a sentence and the script's usage, and ends with 64; `--help` prints the usage.
import { parseArgs } from 'node:util';

/** The values of the options and the words beside them, of which there may be as many as `most`. */
export function given(usage, { options = {}, most = 0 } = {}) {
  try {
    const { values, positionals } = parseArgs({
      options: { ...options, help: { type: 'boolean', short: 'h' } },
      allowNegative: true,
      allowPositionals: true,
    });
    if (values.help) {
      console.log(usage);
      process.exit(0);
    }
    if (positionals.length > most) refuse(`'${positionals[most]}' is one too many`, usage);
    return { values, positionals };
  } catch (error) {
    // Node.js goes on to tell how to give a file such a name.
    return refuse(error.message.split('. ')[0], usage);
  }
}

function refuse(what, usage) {
  console.error(`${what}\n\n${usage}`);
  process.exit(64);
}
