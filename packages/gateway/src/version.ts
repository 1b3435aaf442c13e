/** The version of Kong whose behaviour this gateway has, which clients read before they trust it. */
export const kongVersion = '3.9.1';
export const serverHeader = `kong/${kongVersion}`;
export const viaHeader = `1.1 ${serverHeader}`;
