// Package catalog is where parts are named: module drivers, IO engines, stores and
// twins, each in one plain table or function. Everything else knows contracts only.
// Adding a part is a folder of its own and one line here.
package catalog
