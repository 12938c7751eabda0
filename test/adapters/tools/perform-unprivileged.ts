import { fileTools } from '../../../src/adapters/tools/files.ts'
import { callTool } from './call-tool.ts'

const [root = '', name = '', given = ''] = process.argv.slice(2)
if (process.getuid?.() === 0) {
  process.setgid?.(65_534)
  process.setuid?.(65_534)
}
const result = await callTool(fileTools({ root, write: 'allow' }), name, JSON.parse(given))
process.stdout.write(JSON.stringify(result))
