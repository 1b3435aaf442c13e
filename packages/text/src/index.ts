export {
  type AddressRange,
  isAddressOrNetwork,
  parseAddressRange,
  parseAddressRanges,
  plainAddress,
} from './address-range.ts';
export { afterArrivals } from './after-arrivals.ts';
export {
  CelDeclarations,
  type CelLibrary,
  type CelOverload,
  member,
  overload,
} from './cel/declaration.ts';
export { fluxDeclarations } from './cel/flux.ts';
export { kubernetesLibraries } from './cel/kubernetes.ts';
export {
  type CelExpressionChecked,
  type CelOutcome,
  CelProgram,
  callCostLimit,
  compileCel,
} from './cel/program.ts';
export type { StructMaker } from './cel/run/plan.ts';
export type { CelVariables } from './cel/run/run.ts';
export {
  type DeclaredType,
  declareType,
  maxCardinality,
  sizesOf,
} from './cel/schema/declared-type.ts';
export { parseOpenApiDuration } from './cel/schema/duration.ts';
export { escapeField } from './cel/schema/escape.ts';
export { type CelSchema, withObjectMeta } from './cel/schema/structural.ts';
export { celOfSchema } from './cel/schema/value.ts';
export type { CelType } from './cel/types/type.ts';
export * as celTypes from './cel/types/type.ts';
export { ValueList, ValueMap } from './cel/values/collections.ts';
export { celOfJson, jsonOfCel } from './cel/values/json.ts';
export {
  CelFailure,
  CelMap,
  CelObject,
  CelOptional,
  type CelResult,
  type CelValue,
} from './cel/values/value.ts';
export {
  type ClientHello,
  ClientHelloParser,
  defaultMaxHelloBytes,
  type HelloDecision,
  type NotTlsReason,
  type RejectReason,
} from './client-hello.ts';
export { compareUtf8 } from './compare-utf8.ts';
export { bcryptSteps, bcryptText, isBcrypt } from './crypt/bcrypt.ts';
export { DirectoryLock } from './disk/directory-lock.ts';
export { type Disk, type DiskFile, systemDisk } from './disk/disk.ts';
export { RecordStore, type RecordStoreOptions, type StoreState } from './disk/record-store.ts';
export { readSnapshot, writeSnapshot } from './disk/snapshot-file.ts';
export { isStorageFull, StorageError, type StorageErrorCode } from './disk/storage-error.ts';
export type { StoreMark } from './disk/store-files.ts';
export { writeStore } from './disk/store-layout.ts';
export { readStore, type StoreContent, type StoreFiles } from './disk/store-reader.ts';
export {
  isStateDirectory,
  makeStateDirectory,
  type WholeFileOptions,
  writeWholeFile,
} from './disk/whole-file.ts';
export {
  formatDuration,
  formatDurationNanoseconds,
  parseDuration,
  parseDurationNanoseconds,
} from './duration.ts';
export { TextError, type TextErrorCode } from './error.ts';
export { type GoJsonOptions, type GoJsonStringOptions, goJson, goJsonString } from './go-json.ts';
export { badPattern, goMatch } from './go-match.ts';
export { goQuote } from './go-quote.ts';
export {
  type AwsKeys,
  type AwsRequest,
  type AwsSigning,
  awsEncoded,
  awsSignedHeaders,
} from './http/aws-signature.ts';
export { discardBody, readBody } from './http/body.ts';
export { HttpClient, type HttpClientOptions } from './http/client.ts';
export { type WithTimeout, withDeadline } from './http/deadline.ts';
export type { HttpTls } from './http/dial.ts';
export {
  type Environment,
  environmentProxy,
  parseProxy,
  proxyVariables,
} from './http/environment-proxy.ts';
export { explainNetworkError } from './http/explain-network-error.ts';
export { LinkedSignal, TimeoutError } from './http/linked-signal.ts';
export {
  type HttpHeaders,
  type HttpRequest,
  type HttpResponse,
  headerOf,
  type Send,
  targetOf,
  type Upgraded,
} from './http/message.ts';
export { type RedirectPolicy, redirecting } from './http/redirect.ts';
export { type Outcome, type RetryPolicy, retryAfterSeconds, retrying } from './http/retry.ts';
export { type Sleep, sleep } from './http/sleep.ts';
export { ageText, humanDuration } from './human-duration.ts';
export {
  cloneJson,
  decodeJson,
  encodeJson,
  equalJson,
  getOwn,
  isObject,
  type JsonObject,
  type JsonValue,
  setOwn,
  withSortedKeys,
} from './json.ts';
export {
  applyJsonPatch,
  type JsonPatchOperation,
  type JsonPatchOptions,
  type JsonPatchValues,
  patchInPlace,
  readJsonPatch,
} from './json-patch.ts';
export { parseJsonPointer, printJsonPointer } from './json-pointer.ts';
export {
  everything,
  type LabelSelector,
  type LabelSelectorRequirement,
  nothing,
  parseLabelSelector,
  type Selector,
  type SelectorOperator,
  type SelectorRequirement,
  selectorFromLabelSelector,
  selectorFromSet,
} from './label-selector.ts';
export { type ListenPlace, listenOn } from './listen-on.ts';
export { applyMergePatch, createMergePatch } from './merge-patch.ts';
export {
  configKeyProblems,
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSearchProblems,
  dnsSubdomainProblems,
  httpHeaderProblems,
  labelValueProblems,
  pathSegmentProblems,
  portNameProblems,
  portNumberProblems,
  qualifiedNameProblems,
  wildcardSubdomainProblems,
} from './names.ts';
export { oncePer } from './once-per.ts';
export { hasStackLeft, holdStack, isOutOfStack } from './out-of-stack.ts';
export { isLoopback, type PageGuard, pageRefusal, type RequestHeaders } from './page-guard.ts';
export { checkPatchDepth, maxPatchDepth } from './patch-depth.ts';
export { readPercentEscapes } from './percent.ts';
export { programBeside } from './program-beside.ts';
export {
  varint,
  WireError,
  type WireField,
  type WireValue,
  wireFields,
  wireValues,
} from './protobuf-wire.ts';
export {
  type ConnectionEnds,
  encodeProxyV1,
  encodeProxyV2,
  type ProxyHeader,
  type ProxyHeaderDecision,
  type ProxyTlvs,
  parseProxyHeader,
} from './proxy-protocol.ts';
export {
  compileAnchoredRegex,
  compileRegex,
  findMatches,
  goRegex,
  type RegexMatcher,
} from './regex/compile-regex.ts';
export { RegexBudget } from './regex/matching.ts';
export type { RegexDialect } from './regex/pattern-reader.ts';
export { Regex, type RegexMatch, type RegexOptions } from './regex/regex.ts';
export { RegexError } from './regex/regex-error.ts';
export { LooseVersion, VersionError } from './semver/loose-version.ts';
export { VersionRange } from './semver/version-range.ts';
export { shortRevision } from './short-revision.ts';
export { SignedToken, type TokenClaims, type TokenKey, tokenKeysOf } from './signed-token.ts';
export { readTar, type TarEntry, type TarKind } from './tar.ts';
export { type TarHeader, tarEnd, tarHeader, tarPadding } from './tar-writer.ts';
export { trimEndOf } from './trim.ts';
export { uuidV5 } from './uuid-v5.ts';
export {
  type CertificateContent,
  type CertificateSigner,
  isCertificateAddress,
  makeCertificate,
  makeCertificateRequest,
  type NamePart,
  signerOf,
} from './x509/certificate.ts';
export {
  derInteger,
  derObjectId,
  derSequence,
  pemText,
  readDer,
  readDerParts,
  readPem,
} from './x509/der.ts';
export type { YamlBuilder } from './yaml/builder.ts';
export { setYamlText, type YamlPath } from './yaml/edit.ts';
export { textOfYamlFile } from './yaml/encoding.ts';
export { formatFloat, formatJsonNumber } from './yaml/go-number.ts';
export { compareKeys } from './yaml/key-order.ts';
export {
  isMissingOrEmpty,
  isMissingOrNull,
  isPresent,
  mergeTag,
  type NodeKind,
  newKey,
  newMap,
  newScalar,
  newSequence,
  newString,
  noContent,
  YamlNode,
} from './yaml/node.ts';
export { NodeValues, type ValueOptions, type ValueShape } from './yaml/node-value.ts';
export {
  parseFirstYaml,
  parseYaml,
  parseYamlAll,
  parseYamlDocuments,
  type YamlDocument,
  type YamlOptions,
} from './yaml/parse.ts';
export { parseCommentedYaml, parseLegacyYamlNode, parseYamlNode } from './yaml/parser.ts';
export { type PrintOptions, printYaml, printYamlDocuments } from './yaml/print.ts';
export { printCommentedYaml } from './yaml/print-commented.ts';
export { parseQuickly } from './yaml/quick-parser.ts';
export { refold } from './yaml/refold.ts';
export { type Resolved, resolveLegacyScalar, resolveScalar } from './yaml/resolve.ts';
export { isBareYaml } from './yaml/scalar-text.ts';
export { writeYaml, type YamlField, type YamlLayout, type YamlView } from './yaml/writer.ts';
export { YamlError } from './yaml/yaml-error.ts';
