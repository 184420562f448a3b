export type { ArgumentError, CodedError } from '../src/checks/coded-error.ts'
export { createVirtualClock, type EmulatorClock, type VirtualClock } from './clock/clock.ts'
export type {
  AccountControl,
  AccountInfo,
  AccountPatch,
  CreatedAccount,
  NewAccountFields,
  WindowInfo,
} from './control/account-control.ts'
export type { ClockControl, ClockInfo } from './control/clock-control.ts'
export type { ConnectionInfo, Control, HealthInfo, SettingsControl, StateControl } from './control/control.ts'
export type { EtiquetteFinding, EtiquetteKind, EtiquetteReport, FoundRequest } from './control/etiquette-report.ts'
export type { ExpectedFields, ExpectedFile } from './control/expectation.ts'
export type { FaultControl, FaultTypeListing } from './control/fault-control.ts'
export type { Har, HarEntry } from './control/har.ts'
export type { NearMiss } from './control/near-misses.ts'
export type { ReportScope, RequestControl, RequestListing } from './control/request-control.ts'
export type {
  BodyInfo,
  ExchangeInfo,
  RequestDetail,
  RequestFinding,
  ResponseInfo,
  WindowChange,
} from './control/request-detail.ts'
export type { RequestPage, RequestQuery } from './control/request-query.ts'
export type { RequestEvent, RequestStream } from './control/request-stream.ts'
export type { AddedUploads, UploadBatch } from './control/upload-batch.ts'
export type { UploadControl, UploadPatch } from './control/upload-control.ts'
export type { OrderedExpectation, RequestExpectation, Verification } from './control/verification.ts'
export { VerificationError } from './control/verification-error.ts'
export { createEmulator, type Emulator } from './emulator.ts'
export { ConflictError, EmulatorError, type EmulatorErrorCode } from './emulator-error.ts'
export type { AnswerInstead, Fault, FaultAction, FaultMatch, FaultType, FaultTypeInfo } from './faults/fault.ts'
export type { ArmedFault } from './faults/fault-book.ts'
export type { GivenFault } from './faults/fault-parser.ts'
export type { OpenApiDocument } from './openapi/document.ts'
export type { EmulatorOptions } from './options.ts'
export { type Seed, type SeedAccount, SeedError, type SeedFile, type SeedUploads } from './seed/seed.ts'
export type { RandomSeed } from './service/inventions.ts'
export { MissingRecordError, TakenError } from './service/refusal.ts'
export type { RequestFilter } from './service/request-filter.ts'
export type { FirstAccount } from './service/sign-in/first-sign-in.ts'
export type { Dialect } from './settings/dialects.ts'
export type { SettingListing } from './settings/listing.ts'
export type { GivenQuotas } from './settings/quota-limits.ts'
export { type SettingChanges, SettingError, type Settings } from './settings/settings.ts'
export type { Snapshot } from './state/snapshot.ts'
export { SnapshotError } from './state/snapshot-blobs.ts'
export { DataFolderError } from './storage/open.ts'
export type { LoggedRequest, RequestFile, RequestInfo } from './storage/record-types.ts'
export { type ListenOptions, TlsError, type TlsOptions } from './wire/listen.ts'
