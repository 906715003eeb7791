import { everyWay } from '../helpers/plan-driver.ts'
import { argumentsCases } from './arguments-cases.ts'

everyWay(argumentsCases)
