export { type CliContext, CliError, exitCode } from './context.ts';
export { main } from './main.ts';
export { processContext } from './process-context.ts';
