import { everyWay } from '../helpers/plan-driver.ts'
import { outlineCases } from './outline-cases.ts'

everyWay(outlineCases)
