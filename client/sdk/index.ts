export type { LocalPlanOptions } from './local-plan.ts'
export { LocalPlan } from './local-plan.ts'
