import { everyWay, WAYS } from '../helpers/plan-driver.ts'
import { mcpWay } from '../mcp/driver.ts'
import { hiddenCases } from './hidden-cases.ts'

everyWay(hiddenCases, [...WAYS, mcpWay])
