import { type AddressRange, isAddressOrNetwork, oncePer, parseAddressRanges } from '@waygate/text';

const rangeOf = oncePer(
  (list: readonly string[]): AddressRange => parseAddressRanges(list) ?? { contains: () => false },
);

/**
 * Whether an address is in a list of addresses and networks. An entry that cannot be read was refused
 * when it was configured; should one come, nobody is in the list.
 */
export function isInList(list: readonly string[], address: string): boolean {
  return rangeOf(list).contains(address);
}

/** What is wrong with a list of addresses: one entry each, or undefined if nothing is. */
export function addressProblems(list: readonly string[]): (string | null)[] | undefined {
  const problems = list.map((text) =>
    isAddressOrNetwork(text) ? null : `${text} is no address and no network`,
  );
  return problems.some((problem) => problem !== null) ? problems : undefined;
}
