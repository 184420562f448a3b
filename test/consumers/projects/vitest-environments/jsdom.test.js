// @vitest-environment jsdom
import './upload.js'
