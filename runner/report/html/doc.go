// Package html lays documents out for a browser: one file that opens from disk and asks for nothing.
//
//	page.Section, Strips, Plot, Scatter        ─▶ Block ┐
//	Browser: modules, and Data, deflated in chunks      ├ Document.Write ─▶ one file
//
// What models and data sets wrote is text everywhere: templates escape it, and what a reader would obey instead of show is written
// out as [page.Visible] does. The policy of a document, a meta tag, allows its own style sheet and its own script by their
// sha256 and nothing else: no other script, no style attribute, no picture, no connection. So drawings are SVG whose places are
// attributes, in percent where they follow the width of the window.
//
// The files: document is the file with its policy, data what a script finds in it, section a page's sections as HTML; browser is a
// list of many things of which one is shown, with the modules of the folder assets/browser; strips, plot and scatter are the
// drawings, file is a drawing alone, as SVG.
package html
