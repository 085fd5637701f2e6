mod cases;
