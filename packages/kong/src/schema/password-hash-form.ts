/** Higher costs would hold up everybody's requests: each step doubles the work. */
const maximumBcryptCost = 12;
/** As many rounds of SHA as a request may cost. */
const maximumShaRounds = 100_000;

const bcryptForm = /^\$2[abxy]?\$(\d\d)\$[./A-Za-z0-9]{22}([./A-Za-z0-9]{31})?$/;
const shaForm = /^\$[56]\$(?:rounds=(\d{1,9})\$)?[^$:\n]{0,16}(?:\$|$)/;
const others = [/^\{(PLAIN|SHA|SSHA)\}/, /^\$(apr1|1)\$([^$]{0,8})\$/, /^[./0-9A-Za-z]{13}$/];

/**
 * What is wrong with a password hash of an htpasswd file: a form that is not known, or one that takes
 * too long. Undefined when a gateway takes it.
 *
 * ```ts
 * passwordHashProblem('{SHA}VBPuJHI7uixaa6LQGWx4s+5GKNE='); // undefined
 * passwordHashProblem('secret'); // 'the form of the hash is not known'
 * ```
 */
export function passwordHashProblem(hash: string): string | undefined {
  if (others.some((form) => form.test(hash))) return undefined;
  const cost = bcryptForm.exec(hash)?.[1];
  if (cost !== undefined) {
    const isFair = Number(cost) >= 4 && Number(cost) <= maximumBcryptCost;
    return isFair ? undefined : `a cost of 4 to ${maximumBcryptCost} is taken for bcrypt`;
  }
  const sha = shaForm.exec(hash);
  if (sha === null) return 'the form of the hash is not known';
  const isFair = Number(sha[1] ?? 0) <= maximumShaRounds;
  return isFair ? undefined : `at most ${maximumShaRounds} rounds are taken`;
}
