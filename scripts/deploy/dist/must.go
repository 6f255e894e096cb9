package main

// problem is why the command ends. What dist lacks has one remedy, another machine or another call, so nothing below main handles it.
type problem struct{ error }

// check ends the command where there is an error.
func check(err error) {
	if err != nil {
		panic(problem{err})
	}
}

// must returns a value, or ends the command.
func must[T any](value T, err error) T {
	check(err)
	return value
}

// caught is the error that ended do.
func caught(do func()) (err error) {
	defer func() {
		ended := recover()
		if p, is := ended.(problem); is {
			err = p.error
		} else if ended != nil {
			panic(ended)
		}
	}()
	do()
	return nil
}
