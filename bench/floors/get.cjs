// One GET, its JSON parsed: node get.cjs URL KEY
const { get } = require('node:http')

get(process.argv[2], { headers: { 'X-Api-Key': process.argv[3] } }, (answer) => {
  let text = ''
  answer.setEncoding('utf8')
  answer.on('data', (chunk) => {
    text += chunk
  })
  answer.on('end', () => JSON.parse(text))
})
