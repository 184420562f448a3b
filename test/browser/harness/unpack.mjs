// The package unpacks into the system's temporary folder and sets variables of its process, so it has one of its own.
import chromium from '@sparticuz/chromium'

process.stdout.write(await chromium.executablePath())
