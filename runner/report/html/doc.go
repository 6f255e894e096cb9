// Package html lays documents out for a browser: one file that opens from disk and asks for nothing.
//
//	page.Section, Strips, Plot, Scatter        ─▶ Block ┐
//	Browser: modules, and Data, deflated in chunks      ├ Document.Write ─▶ one file
//
// Texts from models and data sets stay text everywhere: templates escape them, and control characters are written out as by [page.Visible].
// A document's policy, a meta tag, allows its own style sheet and its own script by their sha256 and nothing else: no other script, no
// style attribute, no picture, no connection. So drawings are SVG whose places are attributes, in percent if they follow the width of the
// window.
//
// The files: document is the file with its policy, section lays out a page's sections as HTML; browser is a list of items that shows one of
// them, with the modules of the folder assets/browser; strips, plot and scatter are the drawings, axis their axes.
package html
