/** The contract suite of the EventLog port: every implementation registers it in its own test file. */
export { registerLogContract } from './contract/register.js';
export type { LogContractOptions, LogUnderTest } from './contract/log-under-test.js';
