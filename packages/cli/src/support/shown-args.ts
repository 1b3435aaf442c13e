const masked = '***';

/** Flags whose value is for nobody's eyes: tokens, keys, passwords, and headers, which carry all of these. */
const secretFlag = /^--?(?:.*-)?(?:token|password|key|headers?|credentials?)$/;

/** A command line as others may see it: `--token=x` and `--token x` both without what they tell. */
export function shownArgs(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    // A value may begin with a dash; what begins with two is taken for the next flag.
    if (secretFlag.test(args[index - 1] ?? '') && !arg.startsWith('--')) return masked;
    const at = arg.indexOf('=');
    return at > 0 && secretFlag.test(arg.slice(0, at)) ? `${arg.slice(0, at)}=${masked}` : arg;
  });
}

/** Whether a variable of the environment is called like something that nobody should see. */
export function isSecretVariable(name: string): boolean {
  return /(?:TOKEN|PASSWORD|SECRET|KEY|HEADERS?|CREDENTIALS?)$/i.test(name);
}
