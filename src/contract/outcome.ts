export { type CaseOutcome, caseOutcomes, type RunStatus, runStatuses } from '../core/verdict/outcome.ts';
